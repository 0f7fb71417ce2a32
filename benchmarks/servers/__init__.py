"""What benchmarks start and drive: servers, visitors, the bare harness."""
