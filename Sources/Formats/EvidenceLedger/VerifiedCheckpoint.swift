public import JOSE
internal import StrictJSON

/// A checkpoint whose signatures are verified, with the header of its ledger.
public struct VerifiedCheckpoint: Sendable, Hashable {
  public let header: EvidenceHeader
  public let checkpoint: EvidenceCheckpoint

  /// The root of the tree over all of its entries.
  public let root: MerkleHash

  /// The second signature, if there is one. Its key may be anybody's.
  public private(set) var witness: WitnessSignature?

  /// Not verified before ``requireContinuing(_:)``.
  private let consistency: ConsistencyProof?

  /// - Throws: ``EvidenceFault`` of kind ``EvidenceFault/Kind/proof`` when the checkpoint has no root.
  init(
    header: EvidenceHeader, checkpoint: EvidenceCheckpoint, consistency: ConsistencyProof? = nil,
    witness: WitnessSignature? = nil
  ) throws(EvidenceFault) {
    guard let root = checkpoint.root else {
      throw EvidenceFault(
        .proof, "its checkpoint has no root: it was made by a version without the tree; export again")
    }
    self.header = header
    self.checkpoint = checkpoint
    self.root = root
    self.consistency = consistency
    self.witness = witness
  }

  /// Makes sure that the ledger of this checkpoint begins with all entries of the earlier one.
  ///
  /// - Throws: ``EvidenceFault`` of kind ``EvidenceFault/Kind/ledger``, ``EvidenceFault/Kind/removed``,
  ///   ``EvidenceFault/Kind/forked``, or ``EvidenceFault/Kind/proof`` when that is not shown.
  public func requireContinuing(_ earlier: VerifiedCheckpoint) throws(EvidenceFault) {
    let (old, new) = (earlier.checkpoint, checkpoint)
    guard old.ledger == new.ledger else {
      throw EvidenceFault(.ledger, "the earlier checkpoint is of the ledger \(old.ledger), this is another")
    }
    guard old.count <= new.count else {
      throw EvidenceFault(
        .removed, entry: new.count + 1, "the earlier checkpoint counts \(old.count) entries")
    }
    if old.count == new.count {
      guard earlier.root == root, old.head == new.head else {
        throw EvidenceFault(
          .forked, entry: new.count > 0 ? new.count : nil,
          "the ledger's key has signed two different ledgers of \(new.count) entries; keep both checkpoints")
      }
      return
    }
    guard old.count > 0 else {
      guard earlier.root == .empty, old.head == old.ledger else {
        throw EvidenceFault(.forked, "the earlier checkpoint has no entries, and says that it has a last one")
      }
      return
    }
    guard let consistency, consistency.from == old.count else {
      throw EvidenceFault(
        .proof,
        "it has no proof that it continues a checkpoint of \(old.count) entries; "
          + "`sealring audit checkpoint --since` makes one")
    }
    guard
      consistency.path.proves(root, size: new.count, continues: earlier.root, size: old.count)
    else {
      throw EvidenceFault(
        .proof, entry: old.count,
        "it, or an entry before it, differs from what the earlier checkpoint signed, or the proof is a wrong one"
      )
    }
  }

  /// Countersigns the checkpoint. Make sure first that it continues the one that was countersigned before.
  ///
  /// - Parameter key: the public key of `signer`.
  public func countersigned(
    at time: Int64, key: JWK, signer: some JWSSigner
  ) async throws -> VerifiedCheckpoint {
    var copy = self
    copy.witness = try await WitnessSignature(of: checkpoint, at: time, key: key, signer: signer)
    return copy
  }

  /// The file to hand over, with a line end.
  public var file: [UInt8] {
    var json: JSONObject = [
      "sealring": .string(UnverifiedCheckpoint.kind), "version": 1, "header": .string(header.text),
      "checkpoint": .string(checkpoint.jws),
    ]
    json["consistency"] = consistency?.json
    json["witness"] = witness.map { .string($0.jws) }
    return json.serialized + [UInt8(ascii: "\n")]
  }
}

extension EvidenceHeader {
  /// ``line`` as text.
  var text: String { String(decoding: line, as: UTF8.self) }
}
