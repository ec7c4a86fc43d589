"""Tools of other programs: MCP servers over stdio and streamable HTTP, in the form that other clients use."""
