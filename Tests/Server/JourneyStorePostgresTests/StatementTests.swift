import JourneyStore
import Testing

@testable import JourneyStorePostgres

@Suite("Statements for PostgreSQL") struct StatementTests {
  @Test func `places get PostgreSQL's numbers, and values their order`() {
    let inOrder = Statement("UPDATE t SET a = ? WHERE b = ?", ["x", 1])
    #expect(inOrder.form.sql == "UPDATE t SET a = $1 WHERE b = $2")
    #expect(inOrder.values == [.text("x"), .integer(1)])
    let numbered = Statement("SELECT ?2, ?1, ?2", [true, 2.5])
    #expect(numbered.form.sql == "SELECT $1, $2, $1")
    #expect(numbered.values == [.real(2.5), .flag(true)])
    let named = Statement("SELECT :b::text, :a, ':b', :b", ["a": [UInt8(1)], "b": "y", "unused": 0])
    #expect(named.form.sql == "SELECT $1::text, $2, ':b', $1")
    #expect(named.values == [.text("y"), .bytes([1])])
    #expect(named.form.types == [25, 17])
  }

  @Test func `a statement's name is made of its text and types`() {
    let one = Statement("SELECT ?", ["a"])
    #expect(one.form.name == Statement("SELECT :x", ["x": "b"]).form.name)
    #expect(one.form.name != Statement("SELECT ?", [1]).form.name)
    #expect(one.form.name != Statement("SELECT  ?", ["a"]).form.name)
    // PostgreSQL cuts longer ones.
    #expect(one.form.name.utf8.count < 64)
  }

  @Test func `messages name the database and never the password`() {
    let address = "postgres://sealring:secret%40x@db1:5432,db2/sealring?sslmode=verify-full&password=secret"
    #expect(PostgresPool.place(address) == "PostgreSQL db1:5432,db2/sealring")
    #expect(PostgresPool.place("host=db1 password=secret") == "PostgreSQL")
    #expect(PostgresPool.place("postgres://sealring:sec?ret@db1/sealring") == "PostgreSQL")
    #expect(PostgresPool.place("postgres://sealring:sec/r?et@db1/sealring") == "PostgreSQL")
  }
}
