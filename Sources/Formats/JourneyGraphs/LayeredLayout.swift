/// Places the nodes of a journey in columns from its start to its ends, so that most connections lead to the right and few cross
/// (Sugiyama, Tagawa, Toda 1981: layers, then order within the layers by the middle of the neighbours).
struct LayeredLayout {
  /// The vertices' columns, and each vertex's place in its own.
  private(set) var columns: [[Int]] = []

  /// Sweeps over the columns; more change little.
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
    order(forward)
  }

  /// The edges without those that lead back, found by a search in depth that keeps its own stack: journeys may be long.
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

  /// For each vertex the length of the longest way to it.
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
        // The order of before decides between equals, so that the same journey gives the same picture.
        columns[index] = zip(columns[index].indices, middles).sorted {
          $0.1 == $1.1 ? $0.0 < $1.0 : $0.1 < $1.1
        }.map { columns[index][$0.0] }
        note(columns[index])
      }
    }
  }
}
