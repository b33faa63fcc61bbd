"""The files of an output folder, made anew from its rows after each run."""
