/// Modules that every command uses: printing, failures, and text for terminals.
@_exported import ServerCommand
@_exported import TerminalText
