"""Commits, trees and blobs as values."""
