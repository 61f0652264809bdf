import Bytes

extension FuzzTarget {
  /// What the PAM module has signed. It is signed as it is, and its command is shown so, too: nothing of it controls what shows it.
  static let pam = FuzzTarget { bytes in
    guard let request = try? PAMRequest(parsing: bytes) else { return }
    expect(request.bytes == bytes, "something else would be signed")
    expect((request.wanted.isLocal ? 1...16 : 0...0).contains(request.keys.count), "keys are made up")
    expect(request.keys.allSatisfy { $0.count == 65 && $0[0] == 4 }, "a key is not a point")
    expect(request.leftOut >= 0, "a length is negative")
    expect(bytes.starts(with: Array("sealring-pam 1\n".utf8)), "another message is taken")
    expect(request.command.onOneLine == request.command, "a command is shown otherwise than it is signed")
    expect(request.command.utf8.count <= 8 * bytes.count, "a command grows")
  }
}
