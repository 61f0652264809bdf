internal import CTSS2
internal import DeviceKeys
internal import PrivateFiles

extension TPMKeyStore: MACKeyStore {
  package func makeMACKey() async throws -> [UInt8]? {
    try reportingFiles { try files.create() }
    let pin = StorageKeyPin(folder: files.url)
    return try await chip.run { connection in
      let parent = try connection.storageKey()
      try pin.require(parent.publicArea.name)
      return TPMMACKey(
        blobs: try connection.create(
          Template.macKey, under: parent, authorization: nil, session: ESYS_TR_PASSWORD)
      ).serialized
    }
  }

  package func authenticationCodes(of messages: [[UInt8]], by key: [UInt8]) async throws -> [[UInt8]] {
    guard messages.allSatisfy({ $0.count <= MACKey.maximumMessageBytes }) else {
      throw DeviceKeyError.unsupported("A message is too long for the TPM.")
    }
    let blobs: TPMKeyBlobs
    do throws(JSONRecord.Damage) { blobs = try TPMMACKey(parsing: key).blobs } catch {
      throw DeviceKeyError.unreadable(path: TPMMACKey.name, reason: error.reason)
    }
    return try await chip.run { connection in
      let parent = try connection.parent(of: blobs, tag: TPMMACKey.name)
      try PublicArea(sized: blobs.publicBlob).requireKind(of: Template.macKey)
      // The results are secrets, so they travel encrypted.
      let session = try connection.startSession(saltedWith: parent)
      let loaded = try connection.load(blobs, under: parent)
      return try messages.map { try connection.authenticationCode(of: $0, by: loaded, session: session) }
    }
  }
}

extension TPMConnection {
  /// TPM2_HMAC: the HMAC-SHA-256 of `message` by `key`.
  func authenticationCode(of message: [UInt8], by key: LoadedKey, session: ESYS_TR) throws -> [UInt8] {
    var buffer = TPM2B_MAX_BUFFER(message)
    try encrypt(session, response: true)
    let bytes = try take("TPM2_HMAC") {
      Esys_HMAC(esys, key.handle, session, ESYS_TR_NONE, ESYS_TR_NONE, &buffer, TPM2_ALG_SHA256, &$0)
    }.bytes
    guard bytes.count == 32 else { throw TPMFailure(command: "TPM2_HMAC", code: TPMFailure.trailingBytes) }
    return bytes
  }
}
