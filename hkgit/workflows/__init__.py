"""Workflows: what hkgit does, one verb at a time; a request in, a result out."""
