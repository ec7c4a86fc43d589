"""One file a wire protocol: what of a reply or an event is text, and which event ends it."""
