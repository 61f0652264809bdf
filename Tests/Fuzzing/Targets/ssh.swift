import SSHFormats

extension FuzzTarget {
  /// What asks the agent: messages, sign-ins, hosts and their keys. What is read is written the same, and no host is made up.
  static let ssh = FuzzTarget { bytes in
    if let request = try? AgentRequest(parsing: bytes) {
      if case .other = request {
        expect(request.bytes == Array(bytes.prefix(1)), "a message has another number")
      } else {
        expect(request.bytes == bytes, "a message changes")
      }
    }
    for identity in AgentReply.identities(in: bytes) {
      expect(identity.blob.count < bytes.count, "an agent's key is made up")
    }
    if let request = try? UserAuthenticationRequest(parsing: bytes) {
      expect(request.bytes == bytes, "a sign-in changes")
      expect(request.service == "ssh-connection", "another service is read")
    }
    if let key = try? SSHPublicKey(parsing: bytes) { expect(key.blob == bytes, "a key changes") }
    if let key = try? HostKey(parsing: bytes) {
      expect(key.blob == bytes, "a host's key changes")
      _ = key.isValid(bytes, over: bytes)
    }
    if let binding = try? SessionBinding(verifying: bytes) {
      expect((20...64).contains(binding.sessionIdentifier.count), "a session is not a hash")
    }
    if let certificate = try? SSHCertificate(verifying: bytes) {
      expect(certificate.blob == bytes && !certificate.contents.principals.isEmpty, "a certificate changes")
      let names = KnownHosts.names(in: certificate, by: String(decoding: bytes, as: UTF8.self))
      expect(names.count <= 3, "a certificate has more names than are shown")
    }
    if let list = try? KeyRevocationList(parsing: bytes) {
      expect((try? KeyRevocationList(parsing: list.bytes)) == list, "a list of revocations changes")
    }
    var reader = SSHReader(bytes)
    while let string = try? reader.string() { expect(string.count <= bytes.count, "a string is made up") }
    let text = String(decoding: bytes, as: UTF8.self)
    if let key = try? AuthorizedKey(parsing: text) {
      expect(!key.line.contains(where: \.isNewline), "a line is two")
      expect((try? AuthorizedKey(parsing: key.line)) == key, "a line changes")
    }
    if let certificate = try? SSHCertificate(verifyingLine: text) {
      expect(text.contains(certificate.type), "a certificate has another type than its line")
    }
    if let (key, comment) = try? HostKey.parse(line: text) {
      let line = key.line(comment: comment)
      expect(!line.contains(where: \.isNewline), "a key's line is two")
      expect((try? HostKey.parse(line: line)).map { $0 == (key, comment) } == true, "a key's line changes")
    }
    for name in KnownHosts.names(of: [1, 2, 3], in: text) {
      expect(!name.isEmpty && !name.contains(where: \.isNewline), "a name is no name")
    }
  }
}
