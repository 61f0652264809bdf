import Foundation
import PingOrchestrate
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Registering modules")
struct ModuleTests {
  private let journal = Journal()

  private func module(_ name: String) -> Module<Void> {
    let journal = journal
    return Module.of { _ in journal.add(name) }
  }

  @Test func `override replaces in place and keeps the priority`() {
    let first = module("first")
    let second = module("second")
    _ = Workflow.createWorkflow { config in
      config.module(first, priority: 1)
      config.module(second, priority: 5)
      config.module(first, priority: 9)
    }
    #expect(journal.entries == ["first", "second"])
  }

  @Test func `append adds under a fresh id`() {
    let module = module("m")
    let config = WorkflowConfig()
    config.module(module)
    config.module(module, mode: .append)
    config.module(module)
    #expect(config.modules.count == 2)
    #expect(Set(config.modules.map(\.id)).count == 2)
  }

  @Test func `ignore keeps what is there, and does not run the configuration`() {
    let module = module("m")
    let journal = journal
    let config = WorkflowConfig()
    config.module(module, priority: 3)
    config.module(module, priority: 4, mode: .ignore) { _ in journal.add("configured") }
    #expect(config.modules.map(\.priority) == [3])
    #expect(journal.entries.isEmpty)
  }

  @Test func `lower priorities come first; equal ones keep the order of registration`() {
    let (a, b, c, d) = (module("a"), module("b"), module("c"), module("d"))
    _ = Workflow.createWorkflow { config in
      config.module(a)
      config.module(b, priority: 11)
      config.module(c)
      config.module(d, priority: 2)
    }
    #expect(journal.entries == ["d", "a", "c", "b"])
  }

  @Test func `the configuration's modules stayed in the order of registration when a workflow was made`() {
    let (a, b, c, d) = (module("a"), module("b"), module("c"), module("d"))
    let config = WorkflowConfig()
    config.module(a)
    config.module(b, priority: 11)
    config.module(c)
    config.module(d, priority: 2)
    let workflow = Workflow(config: config)
    #expect(config.modules.map(\.priority) == [2, 10, 10, 11])
    #expect(workflow.config.modules.map(\.id) == [d.id, a.id, c.id, b.id])
  }

  @Test
  func `custom headers go with start and next in the order in which they were named, and not with sign-off`()
    async
  {
    let server = FakeServer()
    let workflow = Workflow.createWorkflow { config in
      config.httpClient = server.client
      config.module(CustomHeader.config) { headers in
        headers.header(name: "X-A", value: "1")
        headers.header(name: "X-A", value: "2")
        headers.header(name: "X-B", value: "3")
      }
      config.module(
        Module.of { setup in
          setup.signOff { request in
            request.url("https://am.example.com")
            return request
          }
        })
    }
    _ = await workflow.start(Request(urlString: "https://am.example.com"))
    _ = await workflow.signOff()
    #expect(server.requests.map { $0.value(forHTTPHeaderField: "X-A") } == ["1,2", nil])
    #expect(server.requests.map { $0.value(forHTTPHeaderField: "X-B") } == ["3", nil])
  }

  @Test func `a shared context holds anything, and can be emptied`() {
    let context = SharedContext(["a": 1])
    context.set(key: "b", value: "x")
    #expect(context.get(key: "b") as? String == "x")
    #expect(context.removeValue(forKey: "a") as? Int == 1)
    #expect(context.get(key: "a") == nil)
    _ = context.removeValue(forKey: "b")
    #expect(context.isEmpty)
  }
}
