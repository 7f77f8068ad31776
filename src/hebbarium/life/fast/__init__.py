"""Faster loops for the lives that they cover, to the same bits as `life/loop.py`."""
