"""What the pages say, as HTML: made of data alone, without a browser or a server."""
