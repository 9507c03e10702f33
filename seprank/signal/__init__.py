"""Signal propagation at initialisation: rank collapse, gradient norms, correlations through the depth.

The public names are loaded on first use, so that importing this room costs nothing.
"""

from typing import TYPE_CHECKING

from seprank.lazy_names import lazy_names

if TYPE_CHECKING:
    from seprank.signal.advice import Advice, advise
    from seprank.signal.correlation import correlation_at_depth, correlation_limit
    from seprank.signal.depth import DepthRun, depth_run
    from seprank.signal.expectations import expected_input_norm, expected_query_norm, expected_value_norm
    from seprank.signal.extended import Collapse, collapse
    from seprank.signal.forward import expected_squared_norm, expected_total_inner_product
    from seprank.signal.gaussian import ExpectedNorms, expected_norms
    from seprank.signal.gram import average_correlation, gram_closed_form, gram_recursion
    from seprank.signal.jacobians import JacobianNorms, squared_norms
    from seprank.signal.layer import LayerWeights, attention_layer
    from seprank.signal.network import Network
    from seprank.signal.network_sizes import NetworkSizes
    from seprank.signal.probe_model import probe
    from seprank.signal.probe_table import LayerProbe, Probe
    from seprank.signal.relu import relu_correlation, relu_correlation_limit
    from seprank.signal.sizes import LayerSizes
    from seprank.signal.stream import Stream
    from seprank.signal.temperature import equalising_temperature, warm_up
    from seprank.signal.tokens import GaussianTokens
    from seprank.signal.uniform import Validity, validity

_HOME = {
    "Advice": "advice",
    "Collapse": "extended",
    "DepthRun": "depth",
    "ExpectedNorms": "gaussian",
    "GaussianTokens": "tokens",
    "JacobianNorms": "jacobians",
    "LayerProbe": "probe_table",
    "LayerSizes": "sizes",
    "LayerWeights": "layer",
    "Network": "network",
    "NetworkSizes": "network_sizes",
    "Probe": "probe_table",
    "Stream": "stream",
    "Validity": "uniform",
    "advise": "advice",
    "attention_layer": "layer",
    "average_correlation": "gram",
    "collapse": "extended",
    "correlation_at_depth": "correlation",
    "correlation_limit": "correlation",
    "depth_run": "depth",
    "equalising_temperature": "temperature",
    "expected_input_norm": "expectations",
    "expected_norms": "gaussian",
    "expected_query_norm": "expectations",
    "expected_squared_norm": "forward",
    "expected_total_inner_product": "forward",
    "expected_value_norm": "expectations",
    "gram_closed_form": "gram",
    "gram_recursion": "gram",
    "probe": "probe_model",
    "relu_correlation": "relu",
    "relu_correlation_limit": "relu",
    "squared_norms": "jacobians",
    "validity": "uniform",
    "warm_up": "temperature",
}

__all__ = [
    "Advice",
    "Collapse",
    "DepthRun",
    "ExpectedNorms",
    "GaussianTokens",
    "JacobianNorms",
    "LayerProbe",
    "LayerSizes",
    "LayerWeights",
    "Network",
    "NetworkSizes",
    "Probe",
    "Stream",
    "Validity",
    "advise",
    "attention_layer",
    "average_correlation",
    "collapse",
    "correlation_at_depth",
    "correlation_limit",
    "depth_run",
    "equalising_temperature",
    "expected_input_norm",
    "expected_norms",
    "expected_query_norm",
    "expected_squared_norm",
    "expected_total_inner_product",
    "expected_value_norm",
    "gram_closed_form",
    "gram_recursion",
    "probe",
    "relu_correlation",
    "relu_correlation_limit",
    "squared_norms",
    "validity",
    "warm_up",
]

__getattr__, __dir__ = lazy_names(__name__, _HOME)
