import QueryFilters
import StrictJSON

extension FuzzTarget {
  /// A CREST filter is bounded, is the same after it is written and read again, and always decides.
  static let queryFilter = FuzzTarget(text: { text in
    if let pointer = JSONPointer(text) {
      expect(JSONPointer(pointer.text) == pointer, "a pointer changes")
      var object = JSONObject()
      pointer.set(true, in: &object)
      expect(pointer.value(in: object) == true, "what a pointer sets is not there")
      pointer.set(nil, in: &object)
      expect(pointer.value(in: object) == nil, "what a pointer removes is there")
    }
    guard let filter = try? QueryFilter(parsing: text) else { return }
    expect(text.utf8.count <= QueryFilter.maximumBytes, "a long filter is read")
    let written = filter.written
    // Escapes in texts may make it longer.
    if written.utf8.count <= QueryFilter.maximumBytes {
      expect((try? QueryFilter(parsing: written)) == filter, "a filter changes")
    }
    for object in [[:], ["a": "b", "userName": "ada", "n": 1, "l": ["x", 2], "o": ["p": true]]]
      as [JSONObject]
    {
      expect(QueryFilter.not(filter).matches(object) != filter.matches(object), "a filter does not decide")
    }
  })
}
