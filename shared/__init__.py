"""The ground floor: the words, digests, documents, tables and statistics that both houses use."""
