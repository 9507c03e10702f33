// Seconds that FFPACK::Rank takes: fflas_rank FILE N PRIME REPEATS THREADS
// FILE holds N * N float64 numbers from 0 to PRIME - 1; the rank and the seconds of each run are printed.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <vector>

#include <fflas-ffpack/ffpack/ffpack.h>
#include <givaro/modular-balanced.h>

int main(int argc, char** argv) {
    if (argc != 6) return 2;
    const size_t n = std::atol(argv[2]), threads = std::atol(argv[5]);
    const Givaro::ModularBalanced<double> field(std::atof(argv[3]));
    std::vector<double> matrix(n * n), work;
    std::ifstream file(argv[1], std::ios::binary);
    file.read(reinterpret_cast<char*>(matrix.data()), sizeof(double) * n * n);
    if (!file) return 3;
    for (double& entry : matrix) field.init(entry, entry);
    for (int i = 0; i < std::atoi(argv[4]); i++) {
        work = matrix;
        const auto start = std::chrono::steady_clock::now();
        const size_t rank = threads == 1 ? FFPACK::Rank(field, n, n, work.data(), n)
                                         : FFPACK::pRank(field, n, n, work.data(), n, threads);
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
        std::printf("%zu %.9f\n", rank, taken.count());
    }
}
