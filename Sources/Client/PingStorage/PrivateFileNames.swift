public import PrivateFiles

/// The folder in which the client side keeps its state.
public typealias ClientHome = PrivateFiles.ClientHome

/// Why a protected file could not be used.
public typealias FileStorageError = PrivateFiles.FileStorageError
