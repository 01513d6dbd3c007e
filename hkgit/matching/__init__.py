"""Where an edit's old text is in a document (`ladder.locate`), and which bytes change there
(`transfer.transfer`). Nothing is imported here: most commands need only the words in `places`."""
