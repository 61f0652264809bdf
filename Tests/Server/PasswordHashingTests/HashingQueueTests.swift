import Testing

@testable import PasswordHashing

@Suite("The queue for passwords") struct HashingQueueTests {
  private static func queue(_ jobs: (String, String)...) -> HashingQueue<String> {
    var queue = HashingQueue<String>()
    for (source, job) in jobs { _ = queue.add(job, source: source, limit: 100) }
    return queue
  }

  private static func drained(_ queue: HashingQueue<String>) -> [String] {
    var queue = queue
    var jobs: [String] = []
    while let job = queue.removeNext() { jobs.append(job) }
    return jobs
  }

  @Test func `sources take turns, and each is first come, first served`() {
    let queue = Self.queue(("a", "a1"), ("a", "a2"), ("b", "b1"), ("a", "a3"), ("c", "c1"), ("b", "b2"))
    #expect(Self.drained(queue) == ["a1", "b1", "c1", "a2", "b2", "a3"])
  }

  @Test func `when it is full, the new job goes unless another source has at least two more waiting`() {
    var queue = Self.queue(("a", "a1"), ("a", "a2"), ("b", "b1"))
    #expect(queue.add("a3", source: "a", limit: 3) == "a3")
    #expect(queue.add("b2", source: "b", limit: 3) == "b2")
    #expect(queue.add("c1", source: "c", limit: 3) == "a2")
    #expect(queue.add("d1", source: "d", limit: 3) == "d1")
    #expect(queue.count == 3)
    #expect(Self.drained(queue) == ["a1", "b1", "c1"])
  }

  @Test func `who leaves keeps the others' order`() {
    var queue = Self.queue(("a", "a1"), ("a", "a2"), ("b", "b1"))
    #expect(queue.remove(source: "a") { $0 == "a1" } == "a1")
    #expect(queue.remove(source: "b") { $0 == "b1" } == "b1")
    #expect(queue.remove(source: "b") { $0 == "b1" } == nil)
    #expect(queue.count == 1)
    #expect(Self.drained(queue) == ["a2"])
  }
}
