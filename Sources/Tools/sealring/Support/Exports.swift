/// What `sealring` and `sealring-server` share is there in every file of this command, as it was when it stood here.
@_exported import ServerCommand
