"""Tools for those who write topics and look after byheart: skeletons, README, pictures, benchmarks."""
