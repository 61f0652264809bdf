internal import JourneyEngine
internal import JourneyFiles
internal import JourneyGraphs
internal import JourneyStore
internal import PageTemplates

/// A picture of a journey as it is served now, for the template `adminGraph`.
struct JourneyPicture {
  let fields: PageValue

  /// The scale that makes a wide picture as wide as the page.
  static let fit = 0

  /// The scales that can be chosen: percent of the picture's size, and ``fit``.
  static let scales = [fit, 50, 75, 100, 150, 200]

  /// - Parameters:
  ///   - counts: how often each connection was taken, by ``ActivityCount/edge(journey:node:outcome:)``; `nil` shows none.
  ///   - run: the run whose path is marked.
  /// - Returns: `nil` for a journey that is not there, or too large to be drawn.
  init?(
    journey name: String, in page: PageContext, scale: Int, counts: [String: Int]?, run: SignInAttempt?
  ) {
    guard let document = page.site.realms.catalog.document(journey: name, realm: page.realm),
      let graph = JourneyGraph(document, name: name)
    else { return nil }
    var marks = JourneyDrawing.Marks()
    if let counts {
      let ways = counts.compactMap { label, count in
        ActivityCount.edge(of: label).map {
          (JourneyDrawing.Marks.Way(node: $0.node, outcome: $0.outcome), count)
        }
      }
      marks.counts = Dictionary(ways) { $0 + $1 }
    }
    for step in run?.steps ?? [] where step.journey == name {
      marks.visited.insert(step.node)
      marks.last = step.node
      if let outcome = step.outcome, outcome != SignInAttempt.Step.asked {
        marks.taken.insert(JourneyDrawing.Marks.Way(node: step.node, outcome: outcome))
      }
    }
    guard let drawing = JourneyDrawing(graph, marks: marks) else { return nil }
    self.init(drawing.geometry, scale: scale)
  }

  private init(_ geometry: JourneyDrawing.Geometry, scale: Int) {
    let percent = scale == Self.fit ? 100 : scale
    let own: [String: PageValue] = [
      "isFit": .flag(scale == Self.fit), "shownWidth": .text(String(geometry.width * percent / 100)),
      "shownHeight": .text(String(geometry.height * percent / 100)),
    ]
    fields = .fields(PageValue.properties(of: geometry).merging(own) { $1 })
  }
}
