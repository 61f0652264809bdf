import ArgumentParser
import Assembly
internal import Bytes
import Foundation
import JourneyStore
import OpenIDProvider
import StrictJSON

struct KeyRotate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate", abstract: "Put a new server key to use, while servers keep running.",
    discussion: """
      Makes a key in the data folder, or takes the one that --new or --server-key names. Run it again to go on with a rotation that was \
      stopped, or for which a server lacked the key.
      """)

  @OptionGroup var place: ServerKeyOptions

  @Option(
    help: ArgumentHelp(
      "Where the new key is, as for --server-key; a file or a key in a token that is not there is made.",
      valueName: "source"))
  var new: String?

  @Flag(help: "Only announce the new key: servers accept it, and none uses it yet.")
  var announce = false

  @Flag(
    help: "Do not encrypt again what earlier keys have encrypted; `sealring key reencrypt` does it later.")
  var noReencrypt = false

  @Flag(
    help: ArgumentHelp(
      "Instead of the server key, replace the keys that sign OpenID Connect tokens, and end the old ones at once.",
      discussion: "For keys that others may have. ID tokens and JWT access tokens signed so far are refused.")
  )
  var tokenKeys = false

  @OptionGroup var wait: ServerKeyWait
  @OptionGroup var result: ResultOptions

  func validate() throws {
    guard !tokenKeys || new == nil && !announce && !noReencrypt else {
      throw ValidationError("--token-keys stands alone: it does not touch the server key.")
    }
  }

  func run() async throws {
    try await place.use { store, rotation in
      if tokenKeys {
        try await TokenKeys.end(in: store)
        return result.done(
          "The keys that signed tokens have ended. Servers that run have new ones within ten seconds.",
          ["tokenKeys": "ended"])
      }
      if let new {
        try store.serverKey.add(
          from: ServerKeyPlaces.source(new), randomBytes: SystemRandom.bytes)
      }
      let id = try await rotation.candidate() ?? makeKey(store)
      try await rotation.announce(id)
      if announce {
        return result.done(
          "Announced the key \(id). Give it to all servers, then run: sealring key rotate",
          ["id": .string(id), "state": "announced"])
      }
      _ = try await wait.until { try await rotation.lacking(id).isEmpty }
      try await rotation.activate(id)
      try await wait.untilAllUseTheKey(of: rotation, next: "sealring key reencrypt")
      let count = noReencrypt ? nil : try await KeyReencrypt.run(store, isQuiet: result.json)
      let fingerprint = try store.serverKey.fingerprint
      result.done(
        "The key \(id) is in use\(count.map { "; \($0) secrets were encrypted again" } ?? ""). "
          + "Retire the earlier one when you have a backup with the new one: sealring key retire\n"
          + "Backups are signed under it from now on: fingerprint \(fingerprint)",
        [
          "id": .string(id), "state": "active",
          "reencrypted": count.map { .integer(Int64($0)) } ?? .null, "fingerprint": .string(fingerprint),
        ])
    }
  }

  /// Makes a key in the data folder.
  private func makeKey(_ store: any ServerStore) throws -> String {
    guard let folder = try place.folderOfKeys else {
      throw CommandFailure.notFound(
        "There is no new key. Make one where the servers' keys are, and name it with --new.")
    }
    return try store.serverKey.makeNext(in: folder, randomBytes: SystemRandom.bytes)
  }
}

struct KeyReencrypt: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reencrypt",
    abstract: "Encrypt data of earlier server keys again under the active one.",
    discussion: """
      It works in batches, while servers keep running, once all of them use the active key. It can be stopped at any time and run again.
      """)

  @OptionGroup var place: ServerKeyOptions
  @OptionGroup var wait: ServerKeyWait
  @OptionGroup var result: ResultOptions

  func run() async throws {
    try await place.use { store, rotation in
      try await wait.untilAllUseTheKey(of: rotation, next: "sealring key reencrypt")
      let count = try await Self.run(store, isQuiet: result.json)
      result.done("Encrypted \(count) secrets again.", ["reencrypted": .integer(Int64(count))])
    }
  }

  static func run(_ store: any ServerStore, isQuiet: Bool) async throws -> Int {
    try await store.encryptAgain { count in
      if !isQuiet, count.isMultiple(of: 10_000) { Output.remark("\(count) secrets so far") }
    }
  }
}

struct KeyRetire: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retire", abstract: "End an earlier server key, or take back one that is only announced.",
    discussion: """
      Encrypts again what is left under the key, once all servers use the new one; it is not ended while something needs it. Journeys that began \
      under it, cookies, and tokens of OpenID Connect stay good until they expire; with --stolen they end now.
      """)

  @OptionGroup var place: ServerKeyOptions

  @Argument(help: "The key's id: sealring key list.")
  var id: String

  @Flag(help: "Others may have the key: end the journeys, cookies and tokens that depend on it, too.")
  var stolen = false

  @OptionGroup var wait: ServerKeyWait
  @OptionGroup var result: ResultOptions

  func run() async throws {
    try await place.use { store, rotation in
      let entry = try await store.refreshKeys().first { $0.id == id }
      if entry?.state(current: store.serverKey.currentID) == "accepted" {
        try await wait.untilAllUseTheKey(
          of: rotation, next: "sealring key retire \(id)\(stolen ? " --stolen" : "")")
        // A server may have stored values after the rotation that it had encrypted before.
        _ = try await KeyReencrypt.run(store, isQuiet: true)
      }
      try await rotation.retire(id, isStolen: stolen)
      let place = store.serverKey.loaded.first { $0.id == id }?.place
      result.done(
        "Retired the key \(printable(id)).\(place.map { " Nothing needs \(printable($0)) any more, except backups from before." } ?? "")",
        ["id": .string(id), "state": stolen ? "revoked" : "retired"])
    }
  }
}
