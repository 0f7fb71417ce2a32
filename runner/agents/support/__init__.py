"""What several agents share; declares no agent itself."""
