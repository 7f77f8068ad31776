"""The rule: its entries by layer and signal, notation, names, blame, words."""
