/// Places the nodes of a journey in columns from its start to its ends, so that most connections lead to the right and few cross
/// (Sugiyama, Tagawa, Toda 1981: layers, then order within the layers by the middle of the neighbours). Edges that pass columns have a
/// lane in each of them, so that they do not run behind other nodes; edges to the same vertex share lanes.
struct LayeredLayout {
  /// The vertices of each column, in order. Numbers above those of the vertices belong to lanes.
  private(set) var columns: [[Int]] = []

  /// An edge between two vertices.
  struct Edge: Hashable {
    let from: Int
    let to: Int
  }

  /// The lanes of edges that have any, from left to right.
  private(set) var lanes: [Edge: [Int]] = [:]

  /// The most lanes for each vertex, and the most columns that an edge passes by lanes. A picture full of lanes shows nothing, and in a
  /// long journey whose every node may fail, their number would grow with the square of its length.
  private static let (mostLanes, longestLane) = (4, 12)

  /// The number of sweeps over the columns; more make little difference.
  private static let sweeps = 8

  /// - Parameters:
  ///   - count: how many vertices there are, numbered from 0.
  ///   - edges: from, to; circles are allowed.
  ///   - start: the vertex of the first column.
  ///   - ends: vertices that stand in a column of their own at the end.
  init(count: Int, edges: [(from: Int, to: Int)], start: Int?, ends: Set<Int>) {
    var successors = [[Int]](repeating: [], count: count)
    for edge in edges where !successors[edge.from].contains(edge.to) { successors[edge.from].append(edge.to) }
    let forward = Self.withoutCircles(successors, start: start)
    var layers = Self.longestPaths(forward)
    let last = (layers.indices.filter { !ends.contains($0) }.map { layers[$0] }.max() ?? 0) + 1
    for end in ends { layers[end] = last }
    columns = Array(repeating: [], count: (layers.max() ?? 0) + 1)
    for vertex in 0..<count { columns[layers[vertex]].append(vertex) }
    columns.removeAll(where: \.isEmpty)
    order(withLanes(forward))
  }

  /// Adds lanes and returns the edges. An edge that passes columns leads through a lane in each of them.
  private mutating func withLanes(_ forward: [[Int]]) -> [[Int]] {
    var column = [Int](repeating: 0, count: forward.count)
    for (index, vertices) in columns.enumerated() { for vertex in vertices { column[vertex] = index } }
    var next = forward.count
    let most = next * (1 + Self.mostLanes)
    var successors = forward
    /// The lanes by their column and the vertex that they lead to.
    var lane: [Edge: Int] = [:]
    for (from, targets) in forward.enumerated() {
      for to in targets where column[to] - column[from] > 1 {
        let passed = (column[from] + 1)..<column[to]
        guard passed.count <= Self.longestLane, next + passed.count <= most else { continue }
        successors[from].removeAll { $0 == to }
        var before = from
        lanes[Edge(from: from, to: to)] = passed.map { index in
          let key = Edge(from: index, to: to)
          let vertex = lane[key] ?? next
          if vertex == next {
            lane[key] = vertex
            columns[index].append(vertex)
            successors.append([])
            next += 1
          }
          if !successors[before].contains(vertex) { successors[before].append(vertex) }
          before = vertex
          return vertex
        }
        if !successors[before].contains(to) { successors[before].append(to) }
      }
    }
    return successors
  }

  /// The edges without those that lead back, found by a depth-first search with its own stack, because journeys may be long.
  private static func withoutCircles(_ successors: [[Int]], start: Int?) -> [[Int]] {
    enum Mark { case new, open, done }
    var marks = [Mark](repeating: .new, count: successors.count)
    var forward = [[Int]](repeating: [], count: successors.count)
    for root in [start].compactMap(\.self) + Array(successors.indices) where marks[root] == .new {
      var stack = [(vertex: root, next: 0)]
      marks[root] = .open
      while let (vertex, next) = stack.last {
        guard next < successors[vertex].count else {
          marks[vertex] = .done
          stack.removeLast()
          continue
        }
        stack[stack.count - 1].next += 1
        let target = successors[vertex][next]
        guard marks[target] != .open else { continue }
        forward[vertex].append(target)
        guard marks[target] == .new else { continue }
        marks[target] = .open
        stack.append((target, 0))
      }
    }
    return forward
  }

  /// The length of the longest path to each vertex.
  private static func longestPaths(_ forward: [[Int]]) -> [Int] {
    var incoming = [Int](repeating: 0, count: forward.count)
    for target in forward.joined() { incoming[target] += 1 }
    var lengths = [Int](repeating: 0, count: forward.count)
    var ready = forward.indices.filter { incoming[$0] == 0 }
    while let vertex = ready.popLast() {
      for target in forward[vertex] {
        lengths[target] = max(lengths[target], lengths[vertex] + 1)
        incoming[target] -= 1
        if incoming[target] == 0 { ready.append(target) }
      }
    }
    return lengths
  }

  private mutating func order(_ forward: [[Int]]) {
    var backward = [[Int]](repeating: [], count: forward.count)
    for (vertex, targets) in forward.enumerated() {
      for target in targets { backward[target].append(vertex) }
    }
    var places = [Double](repeating: 0, count: forward.count)
    func note(_ column: [Int]) {
      for (place, vertex) in column.enumerated() {
        places[vertex] = Double(place) - Double(column.count) / 2
      }
    }
    for column in columns { note(column) }
    for sweep in 0..<Self.sweeps {
      let isForward = sweep % 2 == 0
      for index in isForward ? Array(columns.indices) : columns.indices.reversed() {
        let neighbours = isForward ? backward : forward
        let middles = columns[index].map { vertex in
          let around = neighbours[vertex]
          return around.isEmpty
            ? places[vertex] : around.map { places[$0] }.reduce(0, +) / Double(around.count)
        }
        // The earlier order decides between equals, so that the same journey gives the same picture.
        columns[index] = zip(columns[index].indices, middles).sorted {
          $0.1 == $1.1 ? $0.0 < $1.0 : $0.1 < $1.1
        }.map { columns[index][$0.0] }
        note(columns[index])
      }
    }
  }
}
