"""The judge's end of the processes that run submissions: started, asked, ended."""
