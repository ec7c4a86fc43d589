"""The launcher of a confined command. It stands alone: the standard library and the kernel, nothing of localagent."""
