@_exported public import RuntimeLibraries
