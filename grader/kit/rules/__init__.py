"""Rules that many topics keep, each as one assertion over several calls."""
