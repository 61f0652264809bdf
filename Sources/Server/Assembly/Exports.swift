// The modules that a program which embeds the server also needs: limits, addresses, certificates, checks, journey files.
@_exported public import JourneyFiles
@_exported public import Operations
@_exported public import Pages
@_exported public import ServerHTTP
