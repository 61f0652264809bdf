internal import StrictJSON

/// Sums up the places that tests have visited.
struct CoverageSum {
  private struct Journey: Hashable {
    var name: String
    var realm: String
  }

  private var places: Set<JourneyCoverage.Place> = []
  private var documents: [Journey: JSONObject] = [:]
  private var exceptions: [JourneyScript.Exception] = []

  mutating func add(_ outcome: JourneyTests.Outcome, of script: JourneyScript) {
    places.formUnion(outcome.places)
    for (name, document) in outcome.documents where script.covers.isEmpty || script.covers.contains(name) {
      documents[Journey(name: name, realm: script.realm)] = document
    }
    exceptions += script.exceptions.filter { !exceptions.contains($0) }
  }

  var result: [JourneyCoverage] {
    documents.map { journey, document in
      JourneyCoverage(
        journey: journey.name, realm: journey.realm, document: document, visited: places,
        exceptions: exceptions)
    }.sorted { ($0.realm, $0.journey) < ($1.realm, $1.journey) }
  }
}
