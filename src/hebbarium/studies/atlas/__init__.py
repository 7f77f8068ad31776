"""Every rule there is, lived: which learn, how well, at which eta, and why the others fail."""
