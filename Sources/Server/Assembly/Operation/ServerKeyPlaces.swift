package import JourneyStore
internal import Operations

/// All kinds of places that a server key may be in.
package enum ServerKeyPlaces {
  /// The place that a text in the form of the option `--server-key` names.
  ///
  /// - Throws: ``StoreError/unavailable(_:)``, saying what is wrong.
  package static func source(_ text: String) throws -> any ServerKeySource {
    try ServerKeySpecification.source(text, others: ["pkcs11": { try PKCS11KeySource($0) }])
  }
}

extension ServerKeyPlaces {
  /// What is in one of the places that a configuration names.
  package struct Finding: Sendable {
    /// For people; never the key.
    package let place: String

    /// The ids of the keys in the place. Without any, a server cannot start with it.
    package let ids: [String]

    /// Why it cannot be read, and what to do.
    package let problem: String?
  }

  /// The places where a server of this configuration takes its key from, for `sealring doctor`. Nothing is created or changed, except that
  /// files of the data folder are restricted to their owner. A token is asked once.
  package static func findings(_ configuration: ServerConfiguration) throws -> [Finding] {
    let given = try configuration.serverKeys.map(source)
    guard let folder = try StoreOpening.place(configuration).folder else { return [] }
    return StoreDirectory(folder).keySources(given).map { source in
      do {
        return Finding(place: source.place, ids: try source.keys().map(\.id), problem: nil)
      } catch {
        return Finding(place: source.place, ids: [], problem: "\(error)")
      }
    }
  }
}
