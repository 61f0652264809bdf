/// Statements, and how to read their answers. Several questions combine into one, which a database may answer in one round trip.
public struct SQLQuestion<Value: Sendable>: Sendable {
  package let statements: [SQLStatement]

  /// Reads the answers, one for each statement.
  package let read: @Sendable (ArraySlice<SQLAnswer>) throws -> Value

  package init(
    _ statements: [SQLStatement], _ read: @escaping @Sendable (ArraySlice<SQLAnswer>) throws -> Value
  ) {
    self.statements = statements
    self.read = read
  }

  /// A question without statements, whose answer is `value`.
  static func known(_ value: Value) -> SQLQuestion { SQLQuestion([]) { _ in value } }

  /// Combines several questions, in order.
  package static func all<each Part: Sendable>(
    _ questions: repeat SQLQuestion<each Part>
  ) -> SQLQuestion<(repeat each Part)> where Value == (repeat each Part) {
    var statements: [SQLStatement] = []
    repeat statements += (each questions).statements
    return SQLQuestion(statements) { answers in
      var rest = answers
      return (repeat try (each questions).take(from: &rest))
    }
  }

  /// Combines several questions of one type, in order.
  package static func each<One: Sendable>(_ questions: [SQLQuestion<One>]) -> SQLQuestion
  where Value == [One] {
    SQLQuestion(questions.flatMap(\.statements)) { answers in
      var rest = answers
      return try questions.map { try $0.take(from: &rest) }
    }
  }

  /// Reads its own answers, which come first, and leaves the rest.
  private func take(from answers: inout ArraySlice<SQLAnswer>) throws -> Value {
    defer { answers = answers.dropFirst(statements.count) }
    return try read(answers.prefix(statements.count))
  }

  package func map<Other: Sendable>(
    _ change: @escaping @Sendable (Value) throws -> Other
  ) -> SQLQuestion<Other> {
    SQLQuestion<Other>(statements) { [read] in try change(read($0)) }
  }
}

extension SQLQuestion where Value == Void {
  /// Statements whose answers are ignored.
  static func silent(_ statements: [SQLStatement]) -> SQLQuestion { SQLQuestion(statements) { _ in } }
}
