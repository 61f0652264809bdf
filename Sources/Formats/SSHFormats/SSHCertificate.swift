/// A certificate of OpenSSH, such as `ecdsa-sha2-nistp256-cert-v01@openssh.com` (OpenSSH's PROTOCOL.certkeys).
///
/// A value of this type was verified: the authority's key that it names has signed it. The reader checks whether that authority is
/// trusted, and whether the certificate is in time.
package struct SSHCertificate: Sendable, Hashable {
  /// The end of a certificate's type.
  static let suffix = "-cert-v01@openssh.com"
  /// The end of the type of OpenSSH's own keys; their certificates have ``suffix`` in its place.
  private static let own = "@openssh.com"

  /// The kind of party that it names.
  package enum Kind: UInt32, Sendable {
    case user = 1
    case host = 2
  }

  /// What an authority says about a key.
  package struct Contents: Sendable, Hashable {
    /// Random bytes of the authority's choice, so that nobody else determines what it signs.
    package let nonce: [UInt8]
    package let key: HostKey
    package let serial: UInt64
    package let kind: Kind
    /// The identifier that a server logs; it need not be unique.
    package let identifier: String
    /// The accounts, or names of the host, that it is for. Never empty, because OpenSSH accepts a certificate without any for all.
    package let principals: [String]
    /// The time of validity, in seconds since 1970; the end is excluded.
    package let validity: Range<UInt64>
    /// The options that a server must know and heed, such as `force-command`, with or without a value.
    package let criticalOptions: [String: String?]
    /// The permissions, such as `permit-pty`.
    package let extensions: [String: String?]

    /// - Throws: ``SSHFormatError`` without principals, with an empty one, or with an empty validity.
    package init(
      nonce: [UInt8], key: HostKey, serial: UInt64, kind: Kind, identifier: String, principals: [String],
      validity: Range<UInt64>, criticalOptions: [String: String?] = [:], extensions: [String: String?] = [:]
    ) throws(SSHFormatError) {
      guard !principals.isEmpty, !principals.contains(where: \.isEmpty) else {
        throw SSHFormatError("A certificate needs principals.")
      }
      guard !validity.isEmpty else { throw SSHFormatError("A certificate's time ends before it begins.") }
      (self.nonce, self.key, self.serial, self.kind) = (nonce, key, serial, kind)
      (self.identifier, self.principals, self.validity) = (identifier, principals, validity)
      (self.criticalOptions, self.extensions) = (criticalOptions, extensions)
    }
  }

  package let contents: Contents
  /// The key that signed it.
  package let authority: HostKey
  /// The signature, with the name of its algorithm.
  package let signature: [UInt8]

  /// The certificate in wire format.
  package let blob: [UInt8]

  /// The longest certificate that is read, in bytes.
  package static let maximumBytes = 16 << 10
  private static let mostPrincipals = 256
  private static let mostOptions = 64

  /// Makes a certificate.
  ///
  /// - Parameter sign: Returns the signature of the authority's key over the given bytes: r ‖ s, 64 bytes.
  /// - Throws: What `sign` throws; ``SSHFormatError`` when it is not a signature of that key, or the certificate is too long.
  package init(
    issuing contents: Contents, by authority: SSHPublicKey, sign: ([UInt8]) async throws -> [UInt8]
  ) async throws {
    let signed = Self.signedBytes(of: contents, by: authority.blob)
    let signature = try SSHPublicKey.signatureBlob(raw: try await sign(signed))
    try self.init(verifying: SSHField.bytes([.written(signed), .string(signature)]))
  }

  /// Reads a certificate.
  ///
  /// - Throws: ``SSHFormatError`` when it is malformed, its options are not in order, or its authority has not signed it.
  package init(verifying blob: [UInt8]) throws(SSHFormatError) {
    guard blob.count <= Self.maximumBytes else { throw SSHFormatError("The certificate is too long.") }
    var reader = SSHReader(blob)
    let type = try reader.text()
    guard type.hasSuffix(Self.suffix) else { throw SSHFormatError("It is not a certificate of OpenSSH.") }
    let nonce = try reader.string()
    let base = String(type.dropLast(Self.suffix.count))
    let key = try HostKey(type: base.hasPrefix("sk-") ? base + Self.own : base, fields: &reader)
    let serial = try reader.uint64()
    guard let kind = Kind(rawValue: try reader.uint32()) else {
      throw SSHFormatError("The certificate is neither a user's nor a host's.")
    }
    let identifier = try reader.text()
    let principals = try Self.texts(try reader.string())
    let (start, end) = (try reader.uint64(), try reader.uint64())
    guard start < end else { throw SSHFormatError("A certificate's time ends before it begins.") }
    let options = try Self.options(try reader.string())
    let extensions = try Self.options(try reader.string())
    guard try reader.string().isEmpty else { throw SSHFormatError("A reserved field is not empty.") }
    contents = try Contents(
      nonce: nonce, key: key, serial: serial, kind: kind, identifier: identifier, principals: principals,
      validity: start..<end, criticalOptions: options, extensions: extensions)
    authority = try HostKey(parsing: try reader.string())
    signature = try reader.string()
    try reader.end()
    self.blob = blob
    let signed = Self.signedBytes(of: contents, by: authority.blob)
    // What is read and what was signed are the same bytes, so no field has a second form.
    guard blob.starts(with: signed), authority.isValid(signature, over: signed) else {
      throw SSHFormatError("The certificate is not signed by the authority that it names.")
    }
  }

  /// Reads the line of a file `NAME-cert.pub`.
  package init(verifyingLine line: String) throws(SSHFormatError) {
    let parts = try AuthorizedKey.parts(of: line)
    try self.init(verifying: parts.blob)
    guard type == parts.type else { throw SSHFormatError("The certificate is not of type \(parts.type).") }
  }

  /// Whether it may be used at that time, in seconds since 1970.
  package func isValid(at time: UInt64) -> Bool { contents.validity.contains(time) }

  /// The type of the certificate.
  package var type: String { Self.type(of: contents.key) }

  private static func type(of key: HostKey) -> String {
    (key.type.hasSuffix(own) ? String(key.type.dropLast(own.count)) : key.type) + suffix
  }

  /// The line of a file `NAME-cert.pub`.
  package func line(comment: String) -> String {
    AuthorizedKey.line(type: type, blob: blob, comment: comment)
  }

  private static func signedBytes(of contents: Contents, by authority: [UInt8]) -> [UInt8] {
    SSHField.bytes([
      .text(type(of: contents.key)), .string(contents.nonce),
      // The key's fields, without the type that stands before them.
      .written(Array(contents.key.blob.dropFirst(4 + contents.key.type.utf8.count))),
      .uint64(contents.serial), .uint32(contents.kind.rawValue), .text(contents.identifier),
      .nested(contents.principals.map(SSHField.text)), .uint64(contents.validity.lowerBound),
      .uint64(contents.validity.upperBound), .nested(packed(contents.criticalOptions)),
      .nested(packed(contents.extensions)), .string([]), .string(authority),
    ])
  }

  /// Names in order, each with its value as a string within a string, or with an empty one.
  private static func packed(_ options: [String: String?]) -> [SSHField] {
    options.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      .flatMap { name, value in [.text(name), .nested(value.map { [.text($0)] } ?? [])] }
  }

  private static func options(_ bytes: [UInt8]) throws(SSHFormatError) -> [String: String?] {
    var reader = SSHReader(bytes)
    var (options, last) = ([String: String?](), "")
    while !reader.isAtEnd {
      let name = try reader.text()
      guard last.utf8.lexicographicallyPrecedes(name.utf8), options.count < mostOptions else {
        throw SSHFormatError("A certificate's options are out of order, or too many.")
      }
      last = name
      var data = SSHReader(try reader.string())
      options.updateValue(data.isAtEnd ? nil : try data.text(), forKey: name)
      try data.end()
    }
    return options
  }

  private static func texts(_ bytes: [UInt8]) throws(SSHFormatError) -> [String] {
    var reader = SSHReader(bytes)
    var texts: [String] = []
    while !reader.isAtEnd {
      texts.append(try reader.text())
      guard texts.count <= mostPrincipals else {
        throw SSHFormatError("A certificate has more than \(mostPrincipals) principals.")
      }
    }
    return texts
  }
}
