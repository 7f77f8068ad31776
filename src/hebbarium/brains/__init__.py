"""The network: the paper's three equations, and faster ways to compute them."""
