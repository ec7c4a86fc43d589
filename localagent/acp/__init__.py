"""The agent for editors: the Agent Client Protocol over standard input and output. One file a purpose:

cli         the command, and the two streams
agent       what an editor may ask: sessions, prompts, modes, models
talk        one session: its runs, and what the editor is told of them
updates     events of a run → updates of a session
permission  questions of the agent → questions of the editor
prompt      what an editor sends as a prompt → a task and its attachments
past        a history → the updates that show it again
offers      modes, models and commands, as an editor lists them
"""
