"""The terminal app. It knows the agent only through `driver.Driver`, events and answers."""
