/// What every command uses: how it prints and fails, and how text stands on a terminal.
@_exported import ServerCommand
@_exported import TerminalText
