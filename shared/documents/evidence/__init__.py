"""Documents of sealed evidence: what stands beside the files of a bundle, and what is derived from them."""
