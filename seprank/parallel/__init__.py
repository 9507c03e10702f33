"""Transformers and parallel computation: the k-hop task, its constructions, message routing and MPC protocols."""
