"""The linearized self-attention network: sizes, partition, the layer as printed and its Gram form."""
