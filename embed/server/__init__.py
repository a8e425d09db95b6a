"""How requests and answers pass between clients and the threads that run the app."""
