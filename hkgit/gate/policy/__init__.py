"""What a repository lets pass, read from the trusted side."""
