"""Does it keep learning? Recovery, savings, forgetting, ageing and tempo of long lives."""
