"""What compiled code rests on: how it is compiled, vectors, bits, random streams."""
