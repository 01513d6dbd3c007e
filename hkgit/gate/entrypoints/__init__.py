"""Entry points: judge what a server receives, what a push sends, what moves a local branch."""
