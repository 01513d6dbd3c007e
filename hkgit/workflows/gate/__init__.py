"""What `hkgit gate` judges in hooks: a commit that git is making, and refs that are to move."""
