"""`headrace bench`: methods and peers on one workload, in turns, every byte verified."""
