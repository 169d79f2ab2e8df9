/* owners.cc - libtori from C++: destructors for what the library hands out.
 *
 *     c++ owners.cc $(pkg-config --cflags --libs tori)
 *
 * The headers also work in C++. What NAME_create returns goes into a
 * unique_ptr whose deleter is NAME_destroy. An error becomes an exception.
 */
#include <cstdint>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <vector>

#include <tori/tori.h>

namespace {

struct destroy {
    void operator() (tori_machine *machine) const
    {
        tori_machine_destroy (machine);
    }
    void operator() (tori_state *state) const { tori_state_destroy (state); }
    void operator() (tori_alloc *alloc) const { tori_alloc_destroy (alloc); }
};

template <typename T> using owner = std::unique_ptr<T, destroy>;

void check (int status, const tori_error &err)
{
    if (status < 0)
        throw std::runtime_error (err.text);
}

owner<tori_machine> make_machine (tori_kind kind,
                                  const std::vector<uint32_t> &sides)
{
    tori_machine *machine = nullptr;
    tori_error err;
    check (tori_machine_create (kind, static_cast<int> (sides.size ()),
                                sides.data (), &machine, &err),
           err);
    return owner<tori_machine> (machine);
}

owner<tori_state> make_state (const tori_machine *machine)
{
    tori_state *state = nullptr;
    tori_error err;
    check (tori_state_create (machine, &state, &err), err);
    return owner<tori_state> (state);
}

owner<tori_alloc> make_alloc (const char *name, const tori_machine *machine)
{
    tori_alloc_config config = tori_alloc_config ();
    tori_alloc *alloc = nullptr;
    tori_error err;
    config.size = sizeof config;
    config.name = name;
    check (tori_alloc_create (machine, &config, &alloc, &err), err);
    return owner<tori_alloc> (alloc);
}

/* Nodes that are held until the end of the scope. */
class holding
{
public:
    holding (tori_alloc *alloc, tori_state *state, uint32_t count)
        : state_ (state)
    {
        tori_request request = tori_request ();
        tori_error err;
        request.count = count;
        if (tori_alloc_place (alloc, state, &request, &place_, &err)
            != TORI_PLACED)
            throw std::runtime_error (err.text);
        if (tori_placement_hold (&place_, state, &err) < 0) {
            tori_placement_clear (&place_);
            throw std::runtime_error (err.text);
        }
    }
    ~holding ()
    {
        tori_placement_release (&place_, state_);
        tori_placement_clear (&place_);
    }
    holding (const holding &) = delete;
    holding &operator= (const holding &) = delete;

private:
    tori_state *state_;
    tori_placement place_ = tori_placement ();
};

void run ()
{
    owner<tori_machine> machine = make_machine (TORI_TORUS, {4, 4, 4});
    owner<tori_state> state = make_state (machine.get ());
    owner<tori_alloc> alloc = make_alloc ("hilbert-bf", machine.get ());
    {
        holding many (alloc.get (), state.get (), 50);
        std::cout << tori_state_free_count (state.get ()) << " are free\n";
        try {
            holding more (alloc.get (), state.get (), 20);
        } catch (const std::runtime_error &error) {
            std::cout << error.what () << '\n';
        }
    }
    std::cout << tori_state_free_count (state.get ()) << " are free\n";
}

} // namespace

int main ()
{
    try {
        run ();
    } catch (const std::exception &error) {
        std::cerr << "owners: " << error.what () << '\n';
        return 1;
    }
    return 0;
}
