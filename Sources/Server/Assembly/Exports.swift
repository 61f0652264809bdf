// What a program that embeds the server names beside it: limits, addresses, certificates, checks, journey files.
@_exported public import JourneyFiles
@_exported public import Operations
@_exported public import Pages
@_exported public import ServerHTTP
