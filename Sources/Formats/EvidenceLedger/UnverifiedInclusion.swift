internal import StrictJSON

/// The file of a proof of inclusion from outside. Nothing in it may be trusted before ``verified(ledger:allowsPlainProofs:)``.
public struct UnverifiedInclusion: Sendable, Hashable {
  let header: String
  let entry: String

  /// The leaf's index; `nil` when it is the entry's number minus 1.
  let index: Int64?
  let path: MerklePath
  let checkpoint: String

  private static let members: Set = [
    "sealring", "version", "header", "entry", "index", "path", "checkpoint",
  ]

  /// How every such file begins.
  public static let start = Array(#"{"sealring":"\#(kind)""#.utf8)

  /// Longest file in bytes: an entry, in which every second character may need an escape.
  public static let maximumBytes = 3 << 20

  static let kind = "evidence-inclusion"
}

extension UnverifiedInclusion {
  /// Takes a file apart.
  ///
  /// - Throws: ``EvidenceFault`` of kind ``EvidenceFault/Kind/proof``.
  public init(parsing bytes: [UInt8]) throws(EvidenceFault) {
    let limits = JSONLimits(maximumBytes: Self.maximumBytes, maximumDepth: 4)
    guard let json = try? JSONObject(parsing: bytes, limits: limits),
      Self.members.isSuperset(of: json.names), json["sealring"] == .string(Self.kind), json["version"] == 1,
      let header = json["header"]?.stringValue, let entry = json["entry"]?.stringValue,
      let checkpoint = json["checkpoint"]?.stringValue, let path = MerklePath(json: json["path"]),
      case let index = json["index"]?.integerValue, index != nil || json["index"] == nil
    else { throw EvidenceFault(.proof, "the file does not have the form of a proof of inclusion") }
    self.init(header: header, entry: entry, index: index, path: path, checkpoint: checkpoint)
  }

  var json: JSONObject {
    var json: JSONObject = [
      "sealring": .string(Self.kind), "version": 1, "header": .string(header), "entry": .string(entry),
    ]
    json["index"] = index.map { .integer($0) }
    json["path"] = path.json
    json["checkpoint"] = .string(checkpoint)
    return json
  }

  /// Verifies all of it: the checkpoint's signature, the entry's hash and place, and the device's signature.
  ///
  /// - Parameters:
  ///   - ledger: the fingerprint of the ledger that it must be from; `nil` accepts any.
  ///   - allowsPlainProofs: as in ``EvidenceEntry/verifySignature(allowsPlainProofs:)``.
  /// - Throws: ``EvidenceFault``.
  public func verified(
    ledger: EvidenceHash? = nil, allowsPlainProofs: Bool = false
  ) throws(EvidenceFault) -> VerifiedInclusion {
    let proof = try included(ledger: ledger)
    try proof.entry.verifySignature(allowsPlainProofs: allowsPlainProofs)
    return proof
  }

  /// Verifies all but the device's signature.
  func included(ledger: EvidenceHash? = nil) throws(EvidenceFault) -> VerifiedInclusion {
    let header = try EvidenceHeader(line: Array(header.utf8))
    if let ledger { try header.requireFingerprint(ledger) }
    let signed = try EvidenceCheckpoint(jws: checkpoint, header: header)
    let checkpoint = try VerifiedCheckpoint(header: header, checkpoint: signed)
    let entry = try EvidenceEntry(line: Array(entry.utf8))
    guard
      path.root(of: .leaf(entry.hash.bytes), index: index ?? entry.number - 1, size: signed.count)
        == checkpoint.root
    else {
      throw EvidenceFault(
        .proof, entry: entry.number, "the proof does not lead from it to the root that the checkpoint signs")
    }
    return VerifiedInclusion(entry: entry, checkpoint: checkpoint, proof: self)
  }
}

/// An entry that is in the ledger of a checkpoint.
public struct VerifiedInclusion: Sendable, Hashable {
  public let entry: EvidenceEntry
  public let checkpoint: VerifiedCheckpoint
  fileprivate let proof: UnverifiedInclusion

  /// Makes sure that the proof is of the tree of `published`, which may have a witness.
  ///
  /// - Throws: ``EvidenceFault``.
  public func requireCheckpoint(_ published: VerifiedCheckpoint) throws(EvidenceFault) {
    let (own, other) = (checkpoint.checkpoint.count, published.checkpoint.count)
    guard own == other else {
      throw EvidenceFault(
        .proof, entry: entry.number,
        "the proof is of the tree of \(own) entries, and the checkpoint's has \(other); "
          + "`sealring audit prove --at` makes one for it")
    }
    try checkpoint.requireContinuing(published)
  }

  /// The file to hand over, with a line end.
  public var file: [UInt8] { proof.json.serialized + [UInt8(ascii: "\n")] }
}
